"""Rows of the table: data, models, predictions, caches, and what is shown on the way."""

from lomtree.vw.row import Row, becomes, everywhere, left_out, needless, plays, refused

_DAEMON = (
    "there is no daemon: lomtree predict reads a pipe, and answers what has come without waiting "
    "for more"
)
_CSV = "lomtree train --format csv has options of its own: --delimiter, --no-header, --label"

ROWS: tuple[Row, ...] = (
    plays("-d --data", "FILE", "data", "name the file itself; '-' or nothing is standard input"),
    plays("-f --final_regressor", "FILE", "final", "the model to write: train -f FILE"),
    plays("-i --initial_regressor", "FILE", "initial", "the model: -i FILE, in every command"),
    plays(
        "-t --testonly", "", "test",
        "lomtree test -i MODEL shows the error, lomtree predict -i MODEL the predictions",
    ),
    plays(
        "-p --predictions", "FILE", "predictions",
        "lomtree predict -p FILE, where the default is stdout; lomtree train -p FILE writes what "
        "was predicted in the first pass, just before each example was learned",
    ),
    plays(
        "-r --raw_predictions", "FILE", "raw",
        "lomtree predict --top 10: the best labels with probabilities instead of scores of all "
        "labels",
    ),
    plays("--probabilities", "", "probabilities",
          "lomtree predict --probabilities or --top K; no option of training has to be given"),
    plays("-c --cache", "", "cache",
          "train --cache DATA.lomcache; with -k none is kept, because passes need no cache here"),
    plays("--cache_file", "FILE", "cache_file", "train --cache FILE"),
    plays("-k --kill_cache", "", "kill_cache",
          "leave it out: a cache is used only for the data and the options it was made of"),
    plays(
        "--invert_hash", "FILE", "invert_hash",
        "lomtree inspect MODEL --weights FILE --data DATA lists the weights with the features' "
        "names",
    ),
    plays("--readable_model", "FILE", "readable", "lomtree inspect MODEL --weights FILE"),
    plays("-a --audit", "", "audit",
          "lomtree inspect MODEL --paths DATA explains the prediction of every example, --path "
          "LINE of one"),
    plays("--audit_regressor", "FILE", "invert_hash",
          "lomtree inspect MODEL --weights FILE --data DATA"),
    plays("--save_per_pass", "", "save_per_pass",
          "runs of one pass each, from MODEL.1 to MODEL.2 and so on to MODEL: train -i MODEL.1"),
    plays("--quiet --driver_output_off", "", "quiet", "--quiet, in every command"),
    plays("--no_stdin", "", "no_stdin", "name the file with the data"),
    plays("--dry_run", "", "dry_run", "lomtree vw --dry_run prints the commands, and runs none"),
    plays("--version", "", "version", "lomtree --version"),
    becomes("-P --progress", "N", "-P {}", "as in VW: a whole number, or a factor such as 2.0"),
    becomes("--predict_only_model", "", "--predict-only"),
    everywhere("--json", "", "--format json", "lines of JSON in VW's layout"),
    everywhere("--csv", "", "--format csv --label _label", "the header names the columns"),
    needless("--save_resume --preserve_performance_counters", "",
             "leave it out: models can be trained further, unless --predict-only wrote them"),
    needless("--compressed", "", "leave it out: .gz, .bz2 and .xz are recognised"),
    needless("--no_daemon --onethread --threads --thread_bits", "",
             "leave it out: there is no daemon, and --threads N sets the number of cores"),
    needless("--ring_size --example_queue_limit", "N", "leave it out: examples come in blocks"),
    needless("--strict_parse", "", "leave it out: a bad line stops the run, unless --on-error "
             "skip is given"),
    needless("--log_level --log_output --limit_output --driver_output", "ARG",
             "leave it out: results go to stdout, all else to stderr; --quiet silences that"),
    needless("--dont_output_best_constant --hexfloat_weights", "", "leave it out"),
    left_out("--id", "TEXT", "models carry no text of yours; name the file after it"),
    left_out("--extra_metrics", "FILE",
             "lomtree test --json and lomtree train --json print numbers for programs"),
    left_out("--scores", "", "lomtree predict --top K prints probabilities instead"),
    left_out("--min_prediction --max_prediction", "X", "predictions are labels, not numbers"),
    left_out("--chain_hash", "", "names of nested JSON are hashed in one way only"),
    refused("--examples --initial_pass_length", "N",
            "data is read to its end: head -n N FILE | lomtree vw ... reads the first N lines"),
    refused("--daemon --foreground", "", _DAEMON),
    refused("--port --num_children --pid_file --port_file", "ARG", _DAEMON),
    refused("--dsjson", "", "logs of decision services are not read; --json reads one label a "
            "line"),
    refused("--flatbuffer", "", "flatbuffers are not read: text, CSV, JSON or Parquet are"),
    refused("--csv_separator --csv_header --csv_ns_value", "ARG", _CSV),
    refused("--csv_no_file_header", "", _CSV),
    refused("--sendto --span_server --span_server_port --unique_id --total --node", "ARG",
            "one machine learns alone: give it the data in one stream"),
)  # fmt: skip
