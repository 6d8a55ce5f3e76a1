import type { EvalCase, EvalSuite } from '../definition.ts'

/** What a case used when it was last run: names of tools, skills, connections, sub-agents. */
export type UsedNames = ReadonlyMap<string, ReadonlySet<string>>

/** The cases of a diff, and why they are all of them where they are. */
export interface TouchedCases {
  /** `SUITE/CASE`, in the order of the suites. */
  readonly cases: readonly string[]
  /** A file that every case depends on. */
  readonly everything?: string
}

/** Folders of parts that a case uses or does not, each part by its name. */
const PARTS: ReadonlySet<string> = new Set(['tools', 'skills', 'connections', 'stores', 'agents'])
/** What no case runs through. */
const UNUSED =
  /^(pages|automations|experiments|\.github|\.amodal|docs|test|tests)\/|^evals\/baseline/
const PROSE = /^(README|LICENSE|CHANGELOG|CONTRIBUTING)(\.\w+)?$|^\.gitignore$/i

/** How a case is named in a request. */
export const caseName = (suite: string, { name }: Pick<EvalCase, 'name'>): string =>
  `${suite}/${name}`

/**
 * The cases that a change of these files can make another result of. A case is left out only where
 * its last run is known and used nothing of what has changed, and its file does not name it.
 *
 * @param files paths that differ, below the agent folder
 * @param used by {@link caseName}; a case that is missing was never run
 */
export function touchedCases(
  files: readonly string[],
  suites: readonly EvalSuite[],
  used: UsedNames,
): TouchedCases {
  const parts = new Set<string>()
  const changedSuites = new Set<EvalSuite>()
  for (const file of files) {
    if (UNUSED.test(file) || PROSE.test(file)) continue
    const [folder = '', name = ''] = file.split('/')
    if (folder === 'evals') {
      const own = suites.find((suite) => suite.file === file)
      // A dataset, or a file that is gone: any suite beside it may read it.
      for (const suite of own ? [own] : suites) changedSuites.add(suite)
    } else if (PARTS.has(folder) && name !== '') parts.add(name.replace(/\.\w+$/, ''))
    else return { cases: suites.flatMap(namesOf), everything: file }
  }
  const cases = suites.flatMap((suite) =>
    suite.cases
      .filter(
        (one) =>
          changedSuites.has(suite) ||
          [...parts].some((part) => uses(suite, one, part, used.get(caseName(suite.name, one)))),
      )
      .map((one) => caseName(suite.name, one)),
  )
  return { cases }
}

const namesOf = (suite: EvalSuite): readonly string[] =>
  suite.cases.map((one) => caseName(suite.name, one))

function uses(
  suite: EvalSuite,
  evalCase: EvalCase,
  part: string,
  known: ReadonlySet<string> | undefined,
): boolean {
  if (!known) return true
  return known.has(part) || JSON.stringify([suite.title, evalCase]).includes(part)
}
