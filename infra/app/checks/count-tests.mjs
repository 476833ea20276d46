// Prints the counts of a test run and fails if a test was skipped: in CI nothing that a test needs may be missing.
// Lists each test that passed only on its second attempt, with the reason of the first failure.
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const tests = report.testResults.flatMap((file) => file.assertionResults.map((test) => ({ file: file.name, ...test })));
const skipped = tests.filter((test) => ['skipped', 'pending', 'todo'].includes(test.status));
const failed = tests.filter((test) => test.status === 'failed');
const passed = tests.filter((test) => test.status === 'passed');
const retried = passed.filter((test) => test.failureMessages.length > 0);
for (const test of retried) {
  console.log(
    `passed on the second attempt: ${test.file}: ${test.fullName}\n  ${test.failureMessages[0].slice(0, 2_000)}`,
  );
}
for (const test of skipped) console.log(`skipped: ${test.file}: ${test.fullName}`);
console.log(
  `${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped, ${retried.length} passed on the second attempt`,
);
if (skipped.length > 0 || passed.length === 0) process.exitCode = 1;
