/**
 * @typedef {import('./vitest.mjs').Run} Run
 * @typedef {import('./vitest.mjs').Verdict} Verdict
 */

/** Of linter and formatter: what did not change is not looked at again. */
const CACHES = '.tools/caches'
const CODE = /\.(?:[cm]?js|tsx?)$/

/**
 * ESLint with types, and Prettier.
 *
 * @param {Run} run
 * @param {readonly string[]} files `.` for all; those that no rule applies to are passed over
 * @param {number} limitMs
 * @returns {Promise<Verdict>}
 */
export async function lintFiles(run, files, limitMs) {
  const code = files.filter((file) => file === '.' || CODE.test(file))
  const [rules, layout] = await Promise.all([
    code.length === 0 ? undefined : run([...eslint, ...code], limitMs),
    run([...prettier, ...files], limitMs),
  ])
  if (rules !== undefined && rules.code !== 0) return rules
  if (layout.code === 0) return layout
  return { ...layout, output: `${layout.output.trimEnd()}\nTo lay it out: npm run format\n` }
}

/** @param {string} name @returns {string[]} */
const cache = (name) => [
  ...['--cache', '--cache-strategy', 'content'],
  ...['--cache-location', `${CACHES}/${name}`],
]

const eslint = [
  'node_modules/eslint/bin/eslint.js',
  ...cache('eslint'),
  ...['--max-warnings', '0', '--no-warn-ignored'],
]

const prettier = [
  'node_modules/prettier/bin/prettier.cjs',
  ...cache('prettier'),
  ...['--check', '--ignore-unknown', '--log-level', 'warn'],
]
