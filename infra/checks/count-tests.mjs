// Prints the counts of a test run and fails when a test was skipped: in CI nothing that a test needs may be missing.
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const tests = report.testResults.flatMap((file) => file.assertionResults.map((test) => ({ file: file.name, ...test })));
const skipped = tests.filter((test) => ['skipped', 'pending', 'todo'].includes(test.status));
const failed = tests.filter((test) => test.status === 'failed');
const passed = tests.filter((test) => test.status === 'passed');
for (const test of skipped) console.log(`skipped: ${test.file}: ${test.fullName}`);
console.log(`${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped`);
if (skipped.length > 0 || passed.length === 0) process.exitCode = 1;
