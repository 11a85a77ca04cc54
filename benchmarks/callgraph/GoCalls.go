// Where Go's own type checker says that each call of a module leads: one line a call,
// `path line column name -> path line`, the second path '-' when what is called is not written in the tree.
// go run GoCalls.go ROOT
package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
)

var (
	root    string
	files   = token.NewFileSet()
	modules = map[string]string{} // module path -> directory
	known   = map[string]*types.Package{}
	outside = importer.ForCompiler(files, "source", nil)
)

type inside struct{}

func (inside) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if found := known[path]; found != nil {
		return found, nil
	}
	for module, directory := range modules {
		if path == module || strings.HasPrefix(path, module+"/") {
			folder := filepath.Join(directory, strings.TrimPrefix(path, module))
			if packaged, err := build.ImportDir(folder, 0); err == nil {
				known[path] = check(path, folder, packaged.GoFiles, nil)
				return known[path], nil
			}
		}
	}
	if strings.Contains(strings.Split(path, "/")[0], ".") {
		return nil, fmt.Errorf("not here: %s", path)
	}
	return outside.Import(path)
}

func check(path, folder string, names []string, say func(*ast.File, *types.Info)) *types.Package {
	var parsed []*ast.File
	for _, name := range names {
		if file, _ := parser.ParseFile(files, filepath.Join(folder, name), nil, 0); file != nil {
			parsed = append(parsed, file)
		}
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: inside{}, Error: func(error) {}, FakeImportC: true}
	result, _ := config.Check(path, files, parsed, info)
	if say != nil {
		for _, file := range parsed {
			say(file, info)
		}
	}
	return result
}

func say(file *ast.File, info *types.Info) {
	ast.Inspect(file, func(node ast.Node) bool {
		call, is := node.(*ast.CallExpr)
		if !is {
			return true
		}
		called := call.Fun
		for {
			switch each := called.(type) {
			case *ast.ParenExpr:
				called = each.X
				continue
			case *ast.IndexExpr:
				called = each.X
				continue
			case *ast.IndexListExpr:
				called = each.X
				continue
			case *ast.SelectorExpr:
				called = each.Sel
				continue
			}
			break
		}
		name, is := called.(*ast.Ident)
		if !is {
			return true
		}
		target := "- 0"
		switch object := info.Uses[name].(type) {
		case *types.Func:
			if original := object.Origin(); original != nil {
				object = original
			}
			if at := files.Position(object.Pos()); strings.HasPrefix(at.Filename, root+"/") {
				target = fmt.Sprintf("%s %d", at.Filename[len(root)+1:], at.Line)
			}
		case *types.Builtin:
		default: // a conversion, a variable, or nobody knows
			return true
		}
		at := files.Position(name.Pos())
		fmt.Printf("%s %d %d %s -> %s\n", at.Filename[len(root)+1:], at.Line, at.Column-1, name.Name, target)
		return true
	})
}

func main() {
	root, _ = filepath.EvalSymlinks(os.Args[1])
	var folders []string
	filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.IsDir() && (info.Name() == "vendor" || info.Name() == "testdata" || strings.HasPrefix(info.Name(), ".git")) {
			return filepath.SkipDir
		}
		if err == nil && info.IsDir() {
			folders = append(folders, path)
		}
		if info.Name() == "go.mod" {
			text, _ := os.ReadFile(path)
			for _, line := range strings.Split(string(text), "\n") {
				if strings.HasPrefix(line, "module ") {
					modules[strings.Trim(strings.TrimSpace(line[7:]), `"`)] = filepath.Dir(path)
				}
			}
		}
		return nil
	})
	for _, folder := range folders {
		packaged, err := build.ImportDir(folder, 0)
		if packaged == nil || (err != nil && len(packaged.GoFiles)+len(packaged.TestGoFiles)+len(packaged.XTestGoFiles) == 0) {
			continue
		}
		own := folder
		for module, directory := range modules {
			if folder == directory || strings.HasPrefix(folder, directory+"/") {
				own = module + strings.TrimPrefix(folder, directory)
			}
		}
		check(own, folder, append(append(packaged.GoFiles, packaged.CgoFiles...), packaged.TestGoFiles...), say)
		if len(packaged.XTestGoFiles) > 0 {
			check(own+"_test", folder, packaged.XTestGoFiles, say)
		}
	}
}
