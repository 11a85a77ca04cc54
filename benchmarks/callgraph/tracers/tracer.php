<?php
/* Notes which function of a PHP project called which, while its own tests ran: php -d auto_prepend_file=…/tracer.php.
 * The columns of a line are explained in dynamic_traces.py.
 *
 * Every file of the root that is included is read with a call at the beginning of each function's body, on the same line,
 * that looks at the stack. Generators have none: their bodies begin when somebody iterates. Arrow functions have no body.
 */
final class EverdexTracer
{
    private static array $seen = [];
    private static string $root = '';
    private static string $out = '';
    public $context;
    private $handle;

    public static function start(): void
    {
        self::$root = getenv('EVERDEX_TRACE_ROOT') . '/';
        self::$out = getenv('EVERDEX_TRACE_OUT') . '/' . getmypid() . '.txt';
        self::takeOver();
    }

    public static function entered(string $file, int $line): void
    {
        $frames = debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS, 4);
        $way = 'direct';
        $at = 1;
        $name = $frames[1]['function'] ?? '';
        while (isset($frames[$at]) && !isset($frames[$at]['file'])) {
            $way = $frames[++$at]['function'] ?? '?'; // a builtin called it
        }
        if (!isset($frames[$at]['file']) || !str_starts_with($frames[$at]['file'], self::$root)) {
            return;
        }
        $row = "+|{$frames[$at]['file']}|{$frames[$at]['line']}|$file|$line|$name|$way|\n";
        if (!isset(self::$seen[$row])) {
            self::$seen[$row] = true;
            file_put_contents(self::$out, $row, FILE_APPEND);
        }
    }

    private static function takeOver(): void
    {
        stream_wrapper_unregister('file');
        stream_wrapper_register('file', self::class);
    }

    private static function plainly(callable $action): mixed
    {
        stream_wrapper_restore('file');
        try {
            return $action();
        } finally {
            self::takeOver();
        }
    }

    private static function instrumented(string $code): string
    {
        $made = '';
        $waiting = [];  // lines of functions whose body has not begun, innermost last: [line, brackets open]
        $depth = 0;
        $tokens = PhpToken::tokenize($code);
        foreach ($tokens as $at => $token) {
            $made .= $token->text;
            if ($token->id === T_FUNCTION && self::isDefinition($tokens, $at)) {
                $waiting[] = [$token->line, $depth, $at];
            } elseif ($token->text === '(' || $token->text === '[') {
                $depth++;
            } elseif ($token->text === ')' || $token->text === ']') {
                $depth--;
            } elseif ($waiting && end($waiting)[1] === $depth && $token->text === ';') {
                array_pop($waiting); // abstract
            } elseif ($waiting && end($waiting)[1] === $depth && $token->text === '{') {
                [$line] = array_pop($waiting);
                if (!self::yields($tokens, $at)) {
                    $made .= "\\EverdexTracer::entered(__FILE__,$line);";
                }
            }
        }
        return $made;
    }

    private static function isDefinition(array $tokens, int $at): bool
    {
        for ($before = $at - 1; $before >= 0 && $tokens[$before]->isIgnorable(); $before--);
        return $before < 0 || !$tokens[$before]->is([T_USE, T_OBJECT_OPERATOR, T_DOUBLE_COLON]);
    }

    private static function yields(array $tokens, int $at): bool
    {
        $depth = 0;
        do {
            $token = $tokens[$at++];
            if ($token->is([T_YIELD, T_YIELD_FROM])) {
                return true;
            }
            $depth += match (true) {
                $token->is(['{', T_CURLY_OPEN, T_DOLLAR_OPEN_CURLY_BRACES]) => 1,
                $token->text === '}' => -1,
                default => 0,
            };
        } while ($depth > 0 && isset($tokens[$at]));
        return false;
    }

    public function stream_open($path, $mode, $options, &$opened): bool
    {
        return self::plainly(function () use ($path, $mode, $options) {
            $includes = ($options & 0x80) && str_starts_with((string) realpath($path), self::$root);
            if ($includes) {
                $this->handle = fopen('php://memory', 'w+');
                fwrite($this->handle, self::instrumented(file_get_contents($path)));
                rewind($this->handle);
                return true;
            }
            $useInclude = (bool) ($options & STREAM_USE_PATH);
            $this->handle = isset($this->context)
                ? @fopen($path, $mode, $useInclude, $this->context) : @fopen($path, $mode, $useInclude);
            return $this->handle !== false;
        });
    }

    public function stream_read($count) { return fread($this->handle, $count); }
    public function stream_write($data) { return fwrite($this->handle, $data); }
    public function stream_eof() { return feof($this->handle); }
    public function stream_tell() { return ftell($this->handle); }
    public function stream_seek($offset, $whence) { return fseek($this->handle, $offset, $whence) === 0; }
    public function stream_flush() { return fflush($this->handle); }
    public function stream_close() { fclose($this->handle); }
    public function stream_stat() { return fstat($this->handle); }
    public function stream_lock($operation) { return $operation ? flock($this->handle, $operation) : true; }
    public function stream_truncate($size) { return ftruncate($this->handle, $size); }
    public function stream_set_option($option, $first, $second) { return false; }

    public function stream_metadata($path, $option, $value)
    {
        return self::plainly(fn () => match ($option) {
            STREAM_META_TOUCH => touch($path, ...$value),
            STREAM_META_ACCESS => chmod($path, $value),
            default => false,
        });
    }

    public function url_stat($path, $flags)
    {
        return self::plainly(fn () => ($flags & STREAM_URL_STAT_LINK) ? @lstat($path) : @stat($path));
    }

    public function unlink($path) { return self::plainly(fn () => unlink($path)); }
    public function rename($from, $to) { return self::plainly(fn () => rename($from, $to)); }
    public function mkdir($path, $mode, $options)
    {
        return self::plainly(fn () => mkdir($path, $mode, (bool) ($options & STREAM_MKDIR_RECURSIVE)));
    }
    public function rmdir($path, $options) { return self::plainly(fn () => rmdir($path)); }
    public function dir_opendir($path, $options): bool
    {
        return self::plainly(fn () => ($this->handle = @opendir($path)) !== false);
    }
    public function dir_readdir() { return readdir($this->handle); }
    public function dir_rewinddir() { rewinddir($this->handle); return true; }
    public function dir_closedir() { closedir($this->handle); return true; }
}
EverdexTracer::start();
