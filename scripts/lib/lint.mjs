/**
 * @typedef {import('./vitest.mjs').Run} Run
 * @typedef {import('./vitest.mjs').Verdict} Verdict
 */

const CODE = /\.(?:[cm]?js|tsx?)$/

/**
 * oxlint with types, and oxfmt.
 *
 * @param {Run} run
 * @param {readonly string[]} files `.` for all; those that no rule applies to are passed over
 * @param {number} limitMs
 * @returns {Promise<Verdict>}
 */
export async function lintFiles(run, files, limitMs) {
  const code = files.filter((file) => file === '.' || CODE.test(file))
  const [rules, layout] = await Promise.all([
    code.length === 0 ? undefined : run([...oxlint, ...code], limitMs),
    run([...oxfmt, ...files], limitMs),
  ])
  if (rules !== undefined && rules.code !== 0) return rules
  if (layout.code === 0) return layout
  return { ...layout, output: `${layout.output.trimEnd()}\nTo lay it out: npm run format\n` }
}

const oxlint = [
  'node_modules/oxlint/bin/oxlint',
  ...['--deny-warnings', '--no-error-on-unmatched-pattern', '--format', 'unix'],
]

const oxfmt = ['node_modules/oxfmt/bin/oxfmt', '--check', '--no-error-on-unmatched-pattern']
