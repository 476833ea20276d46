// Prints the counts of a test run and fails when a test was skipped: in CI nothing that a test needs may be missing.
// Names each test that passed at its second try only, with why its first one failed.
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const tests = report.testResults.flatMap((file) => file.assertionResults.map((test) => ({ file: file.name, ...test })));
const skipped = tests.filter((test) => ['skipped', 'pending', 'todo'].includes(test.status));
const failed = tests.filter((test) => test.status === 'failed');
const passed = tests.filter((test) => test.status === 'passed');
const again = passed.filter((test) => test.failureMessages.length > 0);
for (const test of again) {
  console.log(`passed at the second try: ${test.file}: ${test.fullName}\n  ${test.failureMessages[0].slice(0, 2_000)}`);
}
for (const test of skipped) console.log(`skipped: ${test.file}: ${test.fullName}`);
console.log(
  `${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped, ${again.length} at the second try`,
);
if (skipped.length > 0 || passed.length === 0) process.exitCode = 1;
