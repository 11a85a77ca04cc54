"""Hard caps compiled in, and the defaults below them.

A repository's configuration is untrusted input: it may lower a limit, never raise one above its cap.
"""

from __future__ import annotations

from typing import Final

# -- caps: no configuration exceeds these ------------------------------------------------------
MAX_FILE_SIZE_BYTES: Final = 10_485_760
MAX_CHUNKS_PER_FILE: Final = 2_000
MAX_BYTES_PER_SYNC: Final = 268_435_456
MAX_BYTES_PER_LARGE_SYNC: Final = 4_294_967_296  # a user has asked for it with this command
MAX_FILES: Final = 500_000
MAX_PATH_BYTES: Final = 1_024
# SQLite opens paths of 512 bytes; a segment being written lies 140 below, and its journal has 8 more.
MAX_HOME_BYTES: Final = 360
MAX_CONFIG_BYTES: Final = 65_536
MAX_IGNORE_FILE_BYTES: Final = 1_048_576
MAX_SYMLINK_HOPS: Final = 32
MAX_QUERY_BYTES: Final = 16_384
MAX_RESULTS: Final = 200
MAX_RESULTS_PER_FILE: Final = 50
MAX_CANDIDATES: Final = 10_000
MAX_SNIPPET_BYTES: Final = 32_768
MAX_SNIPPET_BYTES_TOTAL: Final = 1_048_576
MAX_LINE_BYTES: Final = 2_048  # of a line that is shown beside a place
MAX_PAGE_BYTES: Final = 4_000_000  # of the list that an answer gives page by page; sent it may be twice as long
MAX_LISTING_BYTES: Final = 5_000_000  # of the files of a tree: each is a name, and who lists them wants all
MAX_BESIDE_BYTES: Final = 1_000_000  # of its other lists
MAX_CHUNK_LINES: Final = 75
MAX_CHUNK_CHARS: Final = 2_000
MAX_DENSE_WEIGHT: Final = 10.0
MAX_FILE_MEAN_SHARE: Final = 4.0

# -- snapshot store ----------------------------------------------------------------------------
RETAIN_SNAPSHOTS_MIN: Final = 5
RETAIN_SNAPSHOTS_MIN_AGE_S: Final = 600
STAGING_TTL_S: Final = 1_800
GC_SAFETY_MARGIN_MS: Final = 120_000
QUERY_TIMEOUT_MS: Final = 60_000
LEASE_TTL_MS: Final = 120_000
GUARD_TTL_MS: Final = 10_000
GUARD_WAIT_MS: Final = 5_000
GUARD_POLL_MS: Final = 25
WRITER_WAIT_MS: Final = 5_000
WORKERS: Final = 8  # processes of a large job; fewer where there are fewer cores or less memory
WORKER_BYTES: Final = 1_610_612_736  # free memory for each: what resolving half of 5,000 files took
STOPPED_S: Final = 10  # a worker that is stopped from outside is waited for
SEGMENT_ROWS: Final = 131_072  # then another one is begun: what is written of one is in memory
MAX_SEGMENTS_PER_SNAPSHOT: Final = 64
MAX_TOTAL_SEGMENTS_REFERENCED: Final = 256
MAX_TOMBSTONES_PER_SNAPSHOT: Final = 250_000
COMPACTION_OVERDUE_SEGMENTS: Final = 48
COMPACTION_OVERDUE_TOMBSTONES: Final = 200_000

# -- reading files -----------------------------------------------------------------------------
STABLE_READ_RETRIES: Final = 3
STABLE_READ_BACKOFF_MS: Final = 25
GIT_RETRIES: Final = 4
GIT_BACKOFF_MS: Final = 50
GIT_TIMEOUT_S: Final = 60
GIT_SLOW_S: Final = 2  # then one looks for a reason

# -- housekeeping ------------------------------------------------------------------------------
EMBED_CACHE_MAX_BYTES: Final = 134_217_728
FACTS_MAX_BYTES: Final = 1_073_741_824
LOG_MAX_BYTES: Final = 1_048_576
LOG_KEEP: Final = 3
LAST_USED_COALESCE_S: Final = 3_600
STORE_UNUSED_DAYS: Final = 30
JOBS_KEPT: Final = 200  # finished refresh jobs that are remembered
DECISIONS_KEPT: Final = 500  # about what resolution leaves open
PLANS_KEPT: Final = 32  # rename plans that can still be carried out by their id
JOB_BUDGET_MS: Final = 600_000
MAX_JOB_BUDGET_MS: Final = 3_600_000
MAX_SCOPE_NAMES: Final = 10_000  # a refresh of more files and directories is one of everything

# -- semantic layer ----------------------------------------------------------------------------
MAX_SCIP_BYTES: Final = 2_147_483_648  # of an index
MAX_SCIP_DOCUMENT_BYTES: Final = 268_435_456  # of one document in it
MAX_SCIP_OCCURRENCES: Final = 50_000_000
MAX_SCIP_DOCUMENT_OCCURRENCES: Final = 2_000_000  # of one document, which is held in memory
MAX_SCIP_DEFINITIONS: Final = 5_000_000  # places of definitions, which are held in memory all at once
MAX_SCIP_HOMES: Final = 64  # places of one symbol: of what is defined in more (a namespace) nothing is said
MAX_SCIP_SYMBOL_BYTES: Final = 8_192  # a longer name is none
MAX_CONTEXTS: Final = 1_000
MAX_BUILD_FILE_BYTES: Final = 1_048_576  # of one that is parsed to find contexts
TOOL_VERSION_S: Final = 20  # in which an indexer says its version
SEMANTIC_NICENESS: Final = 10
SEMANTIC_MEMORY_BYTES: Final = 8_589_934_592  # of each process of an indexer
SEMANTIC_SCRATCH_BYTES: Final = 4_294_967_296  # of everything: the copy it reads and what it writes

# -- evidence board ----------------------------------------------------------------------------
MAX_BOARD_ITEMS: Final = 200
MAX_BOARD_BYTES: Final = 1_048_576
MAX_BOARD_TEXT: Final = 2_000  # characters of a claim, a decision or a remark
MAX_BOARD_TARGETS: Final = 20  # evidence added at once
MAX_BOARD_ANCHORS: Final = 20  # places one piece of evidence stands on
MAX_BOARD_CITES: Final = 20

# -- pictures ----------------------------------------------------------------------------------
MIN_PICTURE_BYTES: Final = 30_000  # less cannot be asked for
AGENT_PICTURE_BYTES: Final = 200_000  # of an image that an agent is sent
PAGE_BYTES: Final = 2_000_000  # of an explorer, unless another bound is asked for
MIN_PAGE_BYTES: Final = 250_000  # less cannot be asked for

# -- daemon ------------------------------------------------------------------------------------
MAX_REQUEST_BYTES: Final = 1_048_576
MAX_RESPONSE_BYTES: Final = 10_485_760
MAX_CHUNKS_PER_PAGE: Final = 20_000
MAX_SOCKET_PATH_BYTES: Final = 100
DAEMON_WORKERS: Final = 8
DAEMON_HELPERS: Final = 1  # processes beside the daemon's own that compute searches
DAEMON_HELPER_IDLE_S: Final = 120  # without work before a helper is given up
DAEMON_QUEUE: Final = 32
DAEMON_PER_CLIENT: Final = 4
DAEMON_CONNECTIONS: Final = 128
DAEMON_HELLO_S: Final = 5  # a new connection says hello within
DAEMON_FRAME_S: Final = 10  # a frame that has begun is complete within; so is a reply taken
DAEMON_SILENCE_S: Final = 600  # a connection that asks nothing is closed after
DAEMON_IDLE_EXIT_S: Final = 1_800
DAEMON_RECONCILE_S: Final = 300
DAEMON_RECONCILE_IDLE_S: Final = 120
DAEMON_DEBOUNCE_MS: Final = 100
DAEMON_TRUST_WATCH_S: Final = 2  # how long a look at the tree stands for the next question
DAEMON_RSS_BYTES: Final = 1_073_741_824
DAEMON_GRAPH_RSS_BYTES: Final = 2_147_483_648  # of the process that makes graphs, while it makes one
DAEMON_GRAPH_KEPT_BYTES: Final = 536_870_912  # with more than that it is not kept for the next one
DAEMON_GRAPH_KEPT_S: Final = 300  # how long it waits for that
DAEMON_GRAPH_AHEAD_S: Final = 60  # how long one waits that was started instead
DAEMON_GRAPH_QUIET_S: Final = 2  # after an edit before its graph is made unasked
DAEMON_GRAPH_SHARE: Final = 4  # unasked, one part in this many of the time is spent making graphs
DAEMON_GRAPH_PATIENCE_S: Final = 10  # how long a question waits for its graph before it is told to come again
DAEMON_GRAPH_WAITING: Final = 2  # questions that may wait for one at once
DAEMON_SEMANTIC_QUIET_S: Final = 30  # after an edit before an indexer is run unasked
DAEMON_SEMANTIC_SHARE: Final = 10  # unasked, one part in this many of the time is spent running indexers
DAEMON_SEMANTIC_AGAIN_S: Final = 3_600  # after an indexer failed
DAEMON_SLOW_MS: Final = 1_000
MCP_MAX_LINE_BYTES: Final = 16_777_216  # of a message on standard input
LISTED_FILES_KEPT: Final = 50_000  # a longer list of the tree's files is made for every question
SUMMARIES_KEPT: Final = 4  # maps, and architectures, of a snapshot that is open
MAX_WATCHED_DIRECTORIES: Final = 50_000
