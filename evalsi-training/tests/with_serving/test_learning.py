"""The learning curve of a training for real, on `transformers serve`."""

import learning
import sums

from evalsi.training import Transformers


def test_a_sabotaged_checkpoint_is_flagged_and_training_stops_at_the_next_step(tmp_path):
    words = sums.tokenizer()
    model = sums.untrained(words)
    sums.learn(model, sums.batch_of(sums.lessons(words)), 0.5)
    base = sums.saved(model, words, tmp_path / "base")
    serving = Transformers()
    evaluator = sums.evaluator_of(tmp_path, serving)

    evaluator.evaluate_base(str(base))
    ended = learning.train(model, words, evaluator, tmp_path / "out")
    serving.close()

    learning.check(evaluator, ended)
