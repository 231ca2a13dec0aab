"""Words of earlier versions and of other tools, and what to write in their place.

A key or a name that is not accepted gets its hint in the message, instead of a similar name.
"""


def _each(words: str, hint: str) -> dict[str, str]:
    return dict.fromkeys(words.split(), hint)


_SPLIT = "`split:` of a data set says it, such as `split: {protocol: kfold, n_splits: 10}`"
_SEED = "leave it out: seeds are computed from names, so that every run draws the same"
_PARAMS = "parameters of the classifier stand under `params:`"
_SCALING = "`scaling:` of a data set says how inputs are scaled"
_METRIC = "`metrics:` of the study, or `metric:` of a table, says what is measured"
BY_CV = (
    "a choice by cross-validation is `estimator: GridSearchCV` with `params: {estimator: ..., "
    "param_grid: {...}, cv: 5, scoring: ...}`"
)

STUDY = {
    "keep": "name metrics under `metrics:`; they are computed at the fit",
    "coverage": "the documentation of a study says what of a paper is covered",
    **_each(
        "repeats repetitions n_repeats runs n_runs trials",
        "`realizations:` says how many splits are run, `repeats:` of a kfold split all folds again",
    ),
    **_each("cv folds n_splits splits split test_size train_size", _SPLIT),
    **_each("seed seeds random_state", _SEED),
    **_each("models estimators classifiers methods solvers learners", "write `algorithms:`"),
    **_each("metric scoring scorers", _METRIC),
    "name": "the name of a study is `study:`",
    "description": "write `title:`",
    **_each("reference paper bibtex authors", "write `citation:`, `doi:` and `url:`"),
    **_each("output results out_dir", "`ensvm run --results FOLDER` says where results go"),
    **_each("n_jobs jobs parallel workers", "`ensvm run --jobs N` says how many processes run"),
    "plots": "write `figures:`",
    "hypotheses": "write `claims:`",
    "printed": "`published:` names the file of printed values",
    **_each("scaling scaler preprocessing", _SCALING),
}
ALGORITHM = {
    **_each("cv tune tuning search param_grid select best optimize scoring", BY_CV),
    **_each("hyperparameters parameters kwargs args options init_args", _PARAMS),
    **_each("C gamma max_iter n_estimators degree tol class_weight weights n_jobs", _PARAMS),
    "kernel": f"{_PARAMS}; `kernel:` of the study is shared by all",
    **_each(
        "class _target_ type name model classifier import module function path",
        "write `estimator:`, a name of ours or of scikit-learn, or `package.module:Class`",
    ),
    **_each("random_state seeds", _SEED),
    **_each("scaler scaling preprocessing", f"{_SCALING}; or give steps as `pipeline:`"),
    "steps": "write `pipeline:`",
    **_each(
        "noise label_noise noisy flip",
        "wrong labels: `estimator: ensvm.experiments:NoisyLabels` with `params: {estimator: ..., "
        "noise: 0.1}`",
    ),
    "metrics": _METRIC,
    "title": "write `label:`",
    **_each("repeats runs", "`realizations:` of the study says how many splits are run"),
}
DATA = {
    "missing": "write `fill:`, such as `fill: training-mean`",
    **_each("imputer impute", "write `fill:`, such as `fill: training-mean`"),
    **_each("repeats cv folds test_size train_size stratify shuffle", _SPLIT),
    **_each(
        "sep delimiter decimal thousands encoding skiprows skipfooter na_values quotechar header",
        "`format:` says how a table of text is written: `format: {delimiter: semicolon}`; its keys "
        "are encoding, delimiter, decimal, thousands, quote, missing, skip, footer and header",
    ),
    **_each("y class class_column response label_column labels", "`target:` names the classes"),
    **_each("X columns usecols", "`inputs:` names columns, `drop:` leaves some out"),
    **_each("exclude ignore index_col id", "`drop:` leaves columns out of the inputs"),
    **_each("file files csv filename", "write `path:`"),
    "url": "only a card downloads files; save the file, and name it by `path:`",
    **_each("normalize normalise standardize standardise scaler preprocessing", _SCALING),
    "group": "write `groups:`",
    "params": "`params_of:` of an algorithm gives it parameters on single data sets",
    "title": "write `label:`",
}
FORMAT = {
    **_each("sep", "write `delimiter:`"),
    **_each("na_values", "write `missing:`"),
    **_each("skiprows", "write `skip:`"),
    **_each("skipfooter", "write `footer:`"),
    **_each("quotechar", "write `quote:`"),
}
SIZED_SPLIT = {
    **_each("cv k folds n_folds n_splits", "`protocol: kfold` has folds, with `n_splits:`"),
    **_each("seed random_state", _SEED),
    "shuffle": "leave it out: `random` draws rows, other protocols keep their order",
    **_each("stratify stratified", "`protocol: random` and `kfold` take `stratified: true`"),
    **_each("repeats n_repeats repetitions", "`realizations:` says how many splits are run"),
    **_each("test_size", "write `n_test:`, a number of rows"),
    **_each("train_size", "write `n_train:`, a number of rows"),
}
FOLDS = {
    **_each("cv k folds n_folds", "write `n_splits:`"),
    **_each("seed random_state", _SEED),
    "shuffle": "leave it out: rows are always shuffled",
    "stratify": "write `stratified: true`",
    **_each("n_repeats repetitions", "write `repeats:`"),
    **_each(
        "test_size train_size n_test n_train",
        "folds have no sizes of their own; `protocol: random` has",
    ),
}
GENERATOR = {"options": "the options of a generator stand beside its `rows`"}
TABLE = {
    **_each("title name", "write `caption:`"),
    **_each("data datasets", "write `rows:`"),
    **_each("algorithms methods", "write `columns:`"),
    "scoring": "write `metric:`",
    **_each("precision digits round", "write `decimals:`"),
    **_each("bold highlight sort", "`best:` says which values are bold: min, max or none"),
    **_each("second_best italic emphasize emphasise runner_up", "write `second: true`"),
    **_each("footnote footnotes note", "write `notes:`"),
    **_each("tolerance atol", "write `margin:`"),
    "rtol": "write `relative_margin:`",
    "sign": "`judged: false` shows values without a sign",
    **_each("unavailable heading header label group", "a key of columns or data sets"),
}
COLUMN = {
    **_each("column estimator", "write `name:`, the algorithm"),
    "title": "write `label:`",
    **_each("group header above", "write `heading:`"),
}
FIGURE = {
    "type": "write `kind:`",
    "title": "write `caption:`",
    **_each("data datasets", "write `rows:`, or `panels:`"),
    **_each("algorithms methods lines", "write `series:`"),
    **_each("xlabel x_axis xaxis", "write `x_label:`"),
    **_each("ylabel y_axis yaxis", "write `y_label:`"),
    **_each(
        "x y",
        "`kind: scatter` draws two algorithms against each other, `kind: sweep` a metric against "
        "the values of a sweep",
    ),
    **_each("log logx", "write `x_scale: log`, or `y_scale: log`"),
    "logy": "write `y_scale: log`",
}
_LEFT = "write `left:`, the algorithm that the sentence is about"
_RIGHT = "write `right:`, what it is compared with"
CLAIM = {
    **_each("better subject a first winner", _LEFT),
    **_each("than object b second worse loser against", _RIGHT),
    **_each("greater less", "write `left:`, `right:` and `relation: less`"),
    **_each("compare algorithms methods", f"{_LEFT}, and `right:`"),
    **_each("threshold tolerance", "write `margin:`, `factor:` or `limit:`"),
    **_each("sentence quote statement claim", "`text:` is the paper's words, `paraphrase:` yours"),
    **_each("datasets data", "write `rows:`"),
    "alpha": "tests are made at 5 %",
    "test": "write `relation:`, or `tests:` for several",
}

_GREATER = "exchange `left:` and `right:`, and write `less`; of a value `at-least`"
RELATIONS = {
    "ratio": "write `at-least` with `of: ratio`",
    "ratio-near": "write `within` with `of: ratio`",
    "curve-below": "write `at-least` with `of: ratio` and `stage: end`",
    "curve-declines": "write `at-most` with `of: slope`",
    "curve-falls": "write a test of the code, or `at-most` with `of: slope`",
    "value-at-most": "write `at-most` without `right:`",
    "value-at-least": "write `at-least` without `right:`",
    "growth-at-most": "write `at-most` with `of: exponent`",
    **_each("greater greater-than more higher larger > significantly-greater", _GREATER),
    **_each("lower smaller fewer < less-than significantly-less", "write `less`"),
    **_each("better worse", "`less` says that the value of `left:` is smaller, as a better error"),
    **_each("<= less-equal at_most not-greater", "write `at-most`"),
    **_each(">= greater-equal at_least not-less", "write `at-least`"),
    **_each("equal same similar close comparable = == near", "write `within` with a `margin:`"),
    **_each("different significant", "`not-significant` says that a test shows no difference"),
}
VALUES = {
    **_each("cv k-fold crossvalidation cross-validation KFold", "write `kfold`"),
    **_each("StratifiedKFold stratified-kfold", "write `kfold` with `stratified: true`"),
    **_each("repeated-kfold RepeatedKFold", "write `kfold` with `repeats:`"),
    **_each("GroupKFold", "write `kfold` with `grouped: true`"),
    **_each("loo leave-one-out LeaveOneOut", "write `kfold` with as many `n_splits:` as rows"),
    **_each("logo LeaveOneGroupOut", "write `leave-one-group-out`"),
    **_each("holdout hold-out train_test_split ShuffleSplit shuffle-split", "write `random`"),
    **_each("boxplot boxes", "write `box`"),
    **_each("scatterplot pairs tradeoff", "write `scatter`: two algorithms, a point a data set"),
    **_each("heatmap heat-map", "write `map`, for the scores of a search"),
    **_each("line lines", "write `curves`, or `sweep` for the values of a sweep"),
    **_each("learning-curve learning_curve", "write `sweep` over values of split.n_train"),
    "best": "write `best-on-validation`, or `estimator: GridSearchCV`",
    "best-by-cv": f"leave `last`: {BY_CV}",
    **_each("smallest lowest", "write `min`"),
    **_each("largest highest", "write `max`"),
}
