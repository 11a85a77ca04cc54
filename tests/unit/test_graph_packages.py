"""Names outside the root and the packages they are of."""

from __future__ import annotations

import pytest

from everdex.graph.packages import package_of


@pytest.mark.parametrize(
    ("language", "name", "package"),
    [
        ("go", "github.com/stretchr/testify/assert", "github.com/stretchr/testify"),
        ("go", "net/http", ""),
        ("cpp", "cstdint", ""),
        ("cpp", "vector", ""),
        ("c", "stdio.h", ""),
        ("c", "sys/types.h", ""),
        ("cpp", "gtest/gtest.h", "gtest"),
        ("typescript", "@babel/types/lib", "@babel/types"),
        ("typescript", "lodash/fp", "lodash"),
        ("typescript", "node:fs/promises", ""),
        ("javascript", "../dist/built", ""),
        ("rust", "std.collections.HashMap", ""),
        ("rust", "serde.Deserialize", "serde"),
        ("java", "java.util.List", ""),
        ("java", "com.google.common.truth.Truth", "com.google.common"),
        ("kotlin", "org.junit.Test", "org.junit"),
        ("csharp", "System.Data", ""),
        ("csharp", "Xunit", "Xunit"),
        ("python", "numpy.linalg", "numpy"),
        ("python", "os.path", ""),
        ("ruby", "json", ""),
        ("ruby", "rack/test", "rack"),
        ("php", "PHPUnit.Framework.TestCase", "PHPUnit\\Framework"),
        ("php", "DateTime", ""),
        ("swift", "Foundation", ""),
        ("swift", "NIOCore", "NIOCore"),
    ],
)
def test_a_name_is_of_a_package_or_of_the_language_itself(language: str, name: str, package: str) -> None:
    """Dependencies are counted by what is installed, and a standard library is no dependency."""
    assert package_of(language, name) == package
