"""Rows of the table: what VW learns and this program does not. Each is refused with a sentence."""

from lomtree.vw.row import Row, refused

_COSTS = "labels have no costs of their own here: give each line its one label"
_BANDIT = "contextual bandits and exploration are not learned here: stay with VW for them"
_DESCENT = "regressors learn by gradient descent: train --update adaptive or sgd"
_SEARCH = "structured prediction is not learned here; for one label a line leave it out"
_MULTILABEL = "an example has one label here: repeat the line for each of its labels"
_TOURNAMENT = "there are no tournaments: take the default learner (lomtree train) or --oaa K"
_PRODUCTS = "train -q, --cubic and --interactions multiply features"
_MEMORY = "there is no memory tree: the default learner finds labels by features, too"
_NETWORK = "there is no neural network: regressors are linear"

ROWS: tuple[Row, ...] = (
    refused("--ect --error", "K", _TOURNAMENT),
    refused("--csoaa --csoaa_ldf --wap --wap_ldf --ldf_override", "ARG", _COSTS),
    refused("--csoaa_rank --cs_absolute_loss", "", _COSTS),
    refused("--plt --kary_tree --threshold --top_k", "N", _MULTILABEL),
    refused("--multilabel_oaa", "K", _MULTILABEL),
    refused("--plt_force_load_legacy_model", "", _MULTILABEL),
    refused("--top", "K", "lomtree predict --top K prints the K best labels of an example"),
    refused("--memory_tree --max_number_of_labels --leaf_example_multiplier --dream_repeats "
            "--top_K --dream_at_update --emt_tree --emt_leaf --emt_scorer --emt_initial "
            "--emt_router", "ARG", _MEMORY),
    refused("--emt --learn_at_leaf --oas --online", "", _MEMORY),
    refused("--nn", "N", _NETWORK),
    refused("--inpass --multitask --dropout --meanfield", "", _NETWORK),
    refused("--bfgs --conjugate_gradient --hessian_on --ftrl --pistol --coin --svrg --ksvm "
            "--OjaNewton --freegrad --noop", "", _DESCENT),
    refused("--mem --termination --ftrl_alpha --ftrl_beta --stage_size --sketch_size --epoch_size "
            "--alpha_inverse --learning_rate_cnt --normalize --random_init --radius --fepsilon "
            "--flipschitz_const", "X", _DESCENT),
    refused("--restart --project --pool_greedy --para_active", "", _DESCENT),
    refused("--reprocess --pool_size --subsample --kernel --bandwidth --degree", "ARG", _DESCENT),
    refused("--lrq --lrqfa --rank --new_mf --interact", "ARG", _PRODUCTS),
    refused("--lrqdropout --stage_poly --batch_sz_no_doubling", "", _PRODUCTS),
    refused("--sched_exponent --batch_sz", "X", _PRODUCTS),
    refused("--boosting --gamma --alg", "ARG", "train --trees N sums the predictions of N trees"),
    refused("--replay_b --replay_b_count --replay_c --replay_c_count", "N",
            "train --passes N replays all examples"),
    refused("--lda --lda_alpha --lda_rho --lda_D --lda_epsilon --minibatch", "ARG",
            "topics are not learned here: every line has a label"),
    refused("--math --metrics", "", "topics are not learned here: every line has a label"),
    refused("--active --active_cover --simulation --direct --oracular --csa_debug", "",
            "every example is learned: lomtree predict --probabilities tells where a label is "
            "worth asking for"),
    refused("--mellowness --beta_scale --cs_active --domination --range_c --max_labels "
            "--min_labels --cost_max --cost_min", "X",
            "every example is learned: lomtree predict --probabilities tells where a label is "
            "worth asking for"),
    refused("--autolink", "N", "a label is a class, not a number"),
    refused("--confidence --confidence_after_training", "",
            "lomtree predict --probabilities tells how sure a prediction is"),
    refused("--baseline --global_only --check_enabled", "", "a label is a class, not a number"),
    refused("--lr_multiplier", "X", "a label is a class, not a number"),
    refused("--marginal --initial_denominator --initial_numerator --decay", "ARG",
            "marginal features are not made: write them into the data"),
    refused("--compete --update_before_learn --unweighted_marginals", "",
            "marginal features are not made: write them into the data"),
    refused("--print --per_model_save_load", "", "lomtree convert prints examples as VW text"),
    refused("--dump_json_weights_experimental", "FILE", "lomtree inspect MODEL --weights FILE"),
    refused("--dump_json_weights_include_feature_names_experimental "
            "--dump_json_weights_include_extra_online_state_experimental", "",
            "lomtree inspect MODEL --weights FILE --data DATA"),
    refused("--search --search_task --search_metatask --search_interpolation --search_rollout "
            "--search_rollin --search_passes_per_policy --search_beta --search_alpha "
            "--search_total_nb_policies --search_trained_nb_policies "
            "--search_allowed_transitions --search_subsample_time --search_neighbor_features "
            "--search_rollout_num_steps --search_history_length --search_perturb_oracle "
            "--search_active_verify --search_save_every_k_runs --search_max_bias_ngram_length "
            "--search_max_quad_ngram_length --root_label --transition_system", "ARG", _SEARCH),
    refused("--search_no_caching --search_xv --search_linear_ordering --search_span_bilou "
            "--one_learner --cost_to_go --constraints", "", _SEARCH),
    refused("--cb --cb_type --cb_explore --cbify --cb_to_cbadf --cats --cats_tree --cats_pdf "
            "--tree_bandwidth --cb_dro_alpha --cb_dro_tau --cb_dro_wmax --cb_c_alpha --cb_c_tau "
            "--first --epsilon --bag --cover --psi --cb_min_cost --cb_max_cost --gamma_scale "
            "--gamma_exponent --rnd --rnd_alpha --rnd_invlambda --lambda --synthcoverpsi "
            "--synthcoversize --clip_p --policy --min_value --max_value --pmf_to_pdf "
            "--loss_option --loss_report --loss_01_ratio --loss0 --loss1 --ot --automl "
            "--default_lease --priority_type --priority_challengers --interaction_type "
            "--oracle_type --automl_significance_level --tol_x --opt_func --model_count "
            "--min_scope --epsilon_decay_significance_level --epsilon_decay_audit "
            "--bonferroni_denominator --min_champ_examples --initial_epsilon "
            "--shift_model_bounds --max_actions --spanner_c --thread_pool_size --block_size "
            "--action_cache_slack --multiplier --target_rate --multiworld_test --learn --warm_cb "
            "--warm_start --interaction --corrupt_type_warm_start --corrupt_prob_warm_start "
            "--choices_lambda --lambda_scheme --overwrite_label --alpha", "ARG", _BANDIT),
    refused("--cb_adf --cb_explore_adf --cb_dro --cb_sample --cbify_cs --cbify_reg --cbify_ldf "
            "--cb_discrete --flip_loss_sign --ccb_explore_adf --all_slots_loss --no_predict "
            "--ccb_no_slot_index --nounif --regcb --regcbopt --first_only --squarecb --elim "
            "--greedify --softmax --synthcover --eval --cb_force_legacy --rank_all --cbzo "
            "--get_pmf --sample_pdf --cb_explore_pdf --baseline_challenger_cb --verbose_metrics "
            "--csv_trace --debug_reversed_learn --fixed_significance_level --reward_as_cost "
            "--epsilon_decay --constant_epsilon --challenger_epsilon --graph_feedback "
            "--large_action_space --las_hint_explicit_simd --two_pass_svd --explore_eval "
            "--experimental_igl --exclude_eval --slates --warm_cb_cs --warm_start_update "
            "--interaction_update --sim_bandit", "", _BANDIT),
)  # fmt: skip
