// Where javac says that each call of a source tree leads: one line a call, `path line column -> path line column`, the
// second path '-' when what is called is not written in the tree. Columns are characters from 0.
// java JavacCalls.java ROOT
import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.Element;
import javax.tools.*;

public class JavacCalls {
  static Path root;
  static Trees trees;
  static SourcePositions positions;

  public static void main(String[] arguments) throws Exception {
    root = Path.of(arguments[0]).toRealPath();
    List<Path> sources;
    try (Stream<Path> all = Files.walk(root)) {
      sources = all.filter(path -> path.toString().endsWith(".java")
          && !path.endsWith("module-info.java") && !path.endsWith("package-info.java")).collect(Collectors.toList());
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StandardJavaFileManager files = compiler.getStandardFileManager(d -> {}, null, null);
    JavacTask task = (JavacTask) compiler.getTask(null, files, d -> {},
        List.of("-proc:none", "-Xmaxerrs", "1"), null, files.getJavaFileObjectsFromPaths(sources));
    trees = Trees.instance(task);
    positions = trees.getSourcePositions();
    List<CompilationUnitTree> units = new ArrayList<>();
    for (CompilationUnitTree unit : task.parse()) units.add(unit);
    task.analyze();
    for (CompilationUnitTree unit : units) new Calls(unit).scan(unit, null);
  }

  static class Calls extends TreePathScanner<Void, Void> {
    final CompilationUnitTree unit;
    final String text;

    Calls(CompilationUnitTree unit) throws Exception {
      this.unit = unit;
      this.text = unit.getSourceFile().getCharContent(true).toString();
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree call, Void nothing) {
      Tree callee = call.getMethodSelect();
      long end = positions.getEndPosition(unit, callee);
      String name = callee instanceof MemberSelectTree select ? select.getIdentifier().toString() : callee.toString();
      if (isKnown(call.getArguments())) say(end - name.length(), trees.getElement(getCurrentPath()));
      return super.visitMethodInvocation(call, nothing);
    }

    @Override
    public Void visitNewClass(NewClassTree call, Void nothing) {
      Tree type = call.getIdentifier();
      if (type instanceof AnnotatedTypeTree annotated) type = annotated.getUnderlyingType();
      if (type instanceof ParameterizedTypeTree generic) type = generic.getType();
      long end = positions.getEndPosition(unit, type);
      String name = type instanceof MemberSelectTree select ? select.getIdentifier().toString() : type.toString();
      // The constructor of a class without a name is nobody's text: what it extends is named there.
      boolean named = call.getClassBody() == null;
      if (isKnown(call.getArguments())) say(end - name.length(), trees.getElement(named ? getCurrentPath() : new TreePath(getCurrentPath(), type)));
      return super.visitNewClass(call, nothing);
    }

    // Of arguments whose types are in libraries that are not here, javac takes any overload.
    boolean isKnown(List<? extends Tree> arguments) {
      for (Tree argument : arguments) {
        var type = trees.getTypeMirror(new TreePath(getCurrentPath(), argument));
        if (type != null && type.getKind() == javax.lang.model.type.TypeKind.ERROR) return false;
      }
      return true;
    }

    void say(long start, Element called) {
      if (start < 0 || called == null || called.asType().getKind() == javax.lang.model.type.TypeKind.ERROR) return;
      String target = "- 0 0";
      TreePath path = trees.getPath(called);
      if (path == null && called.getEnclosingElement() != null) path = trees.getPath(called.getEnclosingElement());
      if (path != null) {
        CompilationUnitTree home = path.getCompilationUnit();
        long at = positions.getStartPosition(home, path.getLeaf());
        Tree leaf = path.getLeaf();
        String name = leaf instanceof MethodTree method && !method.getName().contentEquals("<init>")
            ? method.getName().toString() : leaf instanceof ClassTree type ? type.getSimpleName().toString()
            : called.getEnclosingElement().getSimpleName().toString();
        at = named(home, leaf, at, name);
        if (at < 0) return;
        target = place(home, at);
      }
      System.out.println(place(unit, start) + " -> " + target);
    }

    static long named(CompilationUnitTree home, Tree leaf, long at, String name) {
      try {
        String source = home.getSourceFile().getCharContent(true).toString();
        if (leaf instanceof MethodTree method && method.getReturnType() != null)
          at = positions.getEndPosition(home, method.getReturnType());
        else if (leaf instanceof MethodTree method) at = Math.max(at, positions.getEndPosition(home, method.getModifiers()));
        else if (leaf instanceof ClassTree type) at = Math.max(at, positions.getEndPosition(home, type.getModifiers()));
        var found = java.util.regex.Pattern.compile("\\b" + java.util.regex.Pattern.quote(name) + "\\b").matcher(source);
        return found.find((int) Math.max(at, 0)) ? found.start() : at;
      } catch (java.io.IOException problem) {
        throw new java.io.UncheckedIOException(problem);
      }
    }

    static String place(CompilationUnitTree unit, long at) {
      LineMap lines = unit.getLineMap();
      long line = lines.getLineNumber(at);
      Path path = root.relativize(Path.of(unit.getSourceFile().toUri()));
      return path + " " + line + " " + (at - lines.getStartPosition(line));
    }
  }
}
