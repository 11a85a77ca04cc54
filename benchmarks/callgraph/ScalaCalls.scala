// Where scalac says that each call of a source tree leads: one line a call, `path line column name -> path line column`,
// the second path '-' when what is called is not written in the tree. Columns are characters from 0.
//
//   scalac -d OUT ScalaCalls.scala       (Debian's scala: 2.11, whose compiler is its own library)
//   scala -cp OUT ScalaCalls CHECKOUT FOLDER… > TRUTH
//
// FOLDERs of CHECKOUT are compiled together. Trees with errors are left out, so libraries that are not there cost only
// the calls that need them.
import java.io.File
import scala.reflect.internal.util.{BatchSourceFile, OffsetPosition}
import scala.reflect.io.PlainFile
import scala.tools.nsc.{Global, Settings}
import scala.tools.nsc.reporters.StoreReporter

object ScalaCalls {
  def filesBelow(folder: File): Seq[File] =
    if (folder.isFile) Seq(folder)
    else folder.listFiles.toSeq.sortBy(_.getName).flatMap(filesBelow).filter(_.getName.endsWith(".scala"))

  def main(given: Array[String]): Unit = {
    val root = new File(given.head).getCanonicalFile
    val settings = new Settings
    settings.usejavacp.value = true
    settings.Yrangepos.value = true
    settings.stopAfter.value = List("typer")
    settings.language.tryToSet(List("_"))
    val reporter = new StoreReporter
    val global = new Global(settings, reporter)
    import global._

    def place(pos: Position, at: Int): String = {
      val source = pos.source
      val line = source.offsetToLine(at)
      val path = root.toPath.relativize(new File(source.file.path).getCanonicalFile.toPath)
      s"$path ${line + 1} ${at - source.lineToOffset(line)}"
    }

    def isLetter(at: Char): Boolean = at.isLetterOrDigit || at == '_'

    object calls extends Traverser {
      override def traverse(tree: Tree): Unit = {
        tree match {
          case Apply(called, arguments) if called.symbol != null && called.pos.isRange && !arguments.exists(_.isErroneous) =>
            say(called)
          case _ =>
        }
        super.traverse(tree)
      }

      def say(called: Tree): Unit = called match {
        case TypeApply(inner, _) => say(inner)
        case Select(New(made), nme.CONSTRUCTOR) if made.pos.isDefined => name(made).foreach(at => write(made.pos, at, called.symbol))
        case Select(Super(_, _) | This(_), nme.CONSTRUCTOR) =>
        case Select(owner, nme.apply) if !written(called) =>
          if (owner.symbol != null && owner.symbol.isModule) name(owner).foreach(at => write(owner.pos, at, called.symbol))
        case Select(_, _) | Ident(_) => if (written(called)) write(called.pos, called.pos.point, called.symbol)
        case _ =>
      }

      // Whether the name that is called stands where it is said to be.
      def written(called: Tree): Boolean = {
        val text = called.symbol.name.decode
        called.pos.isOpaqueRange && new String(called.pos.source.content.slice(called.pos.point, called.pos.point + text.length)) == text
      }

      // Where the last name of a type or an object stands.
      def name(tree: Tree): Option[Int] = tree match {
        case Select(_, _) | Ident(_) => if (tree.pos.isOpaqueRange) Some(tree.pos.point) else None
        case tpt: TypeTree if tpt.original != null => name(tpt.original)
        case AppliedTypeTree(inner, _) => name(inner)
        case _ => None
      }

      def write(pos: Position, at: Int, symbol: Symbol): Unit = {
        val content = pos.source.content
        val text = content.drop(at).takeWhile(each => isLetter(each) || each == '$')
        if (text.nonEmpty && symbol != NoSymbol && !symbol.isError) {
          val companion = if (symbol.pos.isDefined) symbol else if (symbol.isSynthetic || symbol.isConstructor) symbol.owner else symbol
          val home = if (companion.pos.isDefined) companion else companion.companionSymbol
          val there = if (home != NoSymbol && home.pos.isDefined && home.pos.source.file != null) place(home.pos, home.pos.point)
            else if (symbol.sourceFile == null || symbol.sourceFile.path.endsWith(".class")) "- 0 0" else ""
          if (there != "") println(s"${place(pos, at)} ${text.mkString} -> $there")
        }
      }
    }

    val run = new Run
    val sources = given.tail.toList.flatMap(folder => filesBelow(new File(root, folder)))
    run.compileSources(sources.map(file => new BatchSourceFile(new PlainFile(file.getPath))))
    Console.err.println(s"${reporter.infos.count(_.severity.id == 2)} errors")
    reporter.infos.filter(_.severity.id == 2).take(5).foreach(each => Console.err.println(s"${each.pos} ${each.msg.take(200)}"))
    run.units.foreach(unit => calls.traverse(unit.body))
  }
}
