import hashlib
import unittest

from walproof_vectors import Lost, index, load, vectors


class Vectors(unittest.TestCase):
    def test_every_vector_loads_and_its_log_has_its_hash(self) -> None:
        count = single = 0
        for vector in vectors():
            count += 1
            self.assertEqual(vector.operation == "read", vector.expect_strict is not None)
            files = vector.files()
            if vector.path.is_file():
                single += 1
                (data,) = files.values()
                self.assertEqual(hashlib.sha256(data).hexdigest(), vector.body["sha256"], vector.id)
        self.assertEqual(count, index()["counts"]["vectors"])
        self.assertGreater(single, 1000)

    def test_the_vectors_of_one_format(self) -> None:
        found = list(vectors("leveldb-log"))
        self.assertEqual(len(found), index()["counts"]["by_format"]["leveldb-log"])

    def test_an_answer(self) -> None:
        answer = load("leveldb-log/first-then-full").expect
        self.assertEqual((answer.verdict, answer.reason), ("damaged", "incomplete-record"))
        self.assertEqual(answer.lost, (Lost(12, 24, "incomplete-record", None),))
        self.assertTrue(answer.records[0].has(b"alpha"))
        self.assertFalse(answer.records[1].has(b"bravo"))
        with self.assertRaises(KeyError):
            load("leveldb-log/nobody")


if __name__ == "__main__":
    unittest.main()
