-- rows.db of a segment, opened immutable. row_no is the row of vectors.i8 and the document of lexical.bin.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE files (
    file_no   INTEGER PRIMARY KEY,
    path_key  TEXT NOT NULL UNIQUE,
    file_hash BLOB NOT NULL,
    language  TEXT NOT NULL,
    status    TEXT NOT NULL,       -- parsed, partial, windows
    first_row INTEGER NOT NULL,
    row_count INTEGER NOT NULL,
    entrances BLOB NOT NULL,       -- u32: where in `source` the second and every further 16 KiB begin
    source    BLOB NOT NULL        -- zlib: the file's bytes; chunk text is a slice of them
);

CREATE TABLE chunks (
    row_no      INTEGER PRIMARY KEY,
    file_no     INTEGER NOT NULL,
    ordinal     INTEGER NOT NULL,
    kind        TEXT NOT NULL,
    chunk_hash  BLOB NOT NULL,
    byte_start  INTEGER NOT NULL,
    byte_end    INTEGER NOT NULL,
    start_line  INTEGER NOT NULL,
    end_line    INTEGER NOT NULL,
    language    TEXT NOT NULL,     -- '' when it is the file's
    segment_id  TEXT NOT NULL,
    symbol      TEXT NOT NULL,     -- qualified name of the chunk's main definition, or ''
    symbol_kind TEXT NOT NULL,
    breadcrumb  TEXT NOT NULL,     -- names joined with U+001F; '' when they are the symbol's
    span_hash   BLOB NOT NULL,
    pre_hash    BLOB NOT NULL,
    post_hash   BLOB NOT NULL,
    collision   INTEGER NOT NULL   -- 0, or n for a chunkUid ending in ':cn'
);

-- Clustered by row, so that a row's definitions need no index; where a definition is follows from its row.
CREATE TABLE symbols (
    row_no      INTEGER NOT NULL,
    place       INTEGER NOT NULL,  -- among the file's definitions, from 0
    name        TEXT NOT NULL,
    container   TEXT NOT NULL,     -- qualified name of what is around it, or ''
    kind        TEXT NOT NULL,
    start_byte  INTEGER NOT NULL,
    end_byte    INTEGER NOT NULL,
    start_line  INTEGER NOT NULL,
    end_line    INTEGER NOT NULL,
    name_line   INTEGER NOT NULL,
    name_column INTEGER NOT NULL,
    public      INTEGER NOT NULL,
    PRIMARY KEY (row_no, place)
) WITHOUT ROWID;

-- Signatures and documentation are a third of what is said of a definition and seldom asked for: a file's in one piece.
CREATE TABLE descriptions (
    file_no INTEGER PRIMARY KEY,
    texts   BLOB NOT NULL          -- zlib: JSON [signature, doc, signature, doc, …] by place
);
