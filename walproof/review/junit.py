"""A review as JUnit XML: sections are suites, findings test cases, what breaks a failure."""

from __future__ import annotations

from junitparser import Failure, JUnitXml, Skipped, TestCase, TestSuite

from walproof.review.printing import headline, sections
from walproof.review.review import Review


def junit(review: Review) -> str:
    """The XML. A review without findings has one case that passes."""
    report = JUnitXml("walproof review")
    for title, findings in sections(review):
        suite = TestSuite(title)
        for finding in findings:
            case = TestCase(f"{finding.rule} {finding.subject}", " ".join(finding.classes))
            said = f"{finding.change}\nhurts {finding.hurts}\n{finding.where}".strip()
            if finding.breaks:
                result = Failure(finding.change, finding.rule)
                result.text = said
                case.result = [result]
            elif finding.excused is not None:
                case.result = [Skipped(f"excused: {finding.excused}")]
            else:
                case.system_out = f"{finding.severity}: {said}"
            suite.add_testcase(case)
        report.add_testsuite(suite)
    if not review.findings:
        suite = TestSuite("Review")
        suite.add_testcase(TestCase(headline(review), "compatible"))
        report.add_testsuite(suite)
    report.update_statistics()  # type: ignore[no-untyped-call]
    text: bytes = report.tostring()  # type: ignore[no-untyped-call]
    return text.decode()
