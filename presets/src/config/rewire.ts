import { KeptEdits } from '@amodal/plugin-repo-files/tokens'
import { Rewire, type Rewiring } from '@amodal/plugin-repo-watch/tokens'
import {
  err,
  explain,
  failure,
  ok,
  resolvePlan,
  type BundleIssue,
  type Kernel,
  type KernelOptions,
  type Result,
} from '@amodal/sdk'
import type { Folder, FolderError } from './folder.ts'
import { wiringIssues } from './wiring-issues.ts'

/**
 * Lets a running agent follow the wiring in its manifest. Another preset needs another start: what
 * it pins is not the same.
 *
 * @param started the folder as it was read for the start
 * @param readCurrent reads the folder as it is now
 * @param kernel once there is one
 * @returns the options to start the kernel with
 */
export function rewiring(
  started: Folder,
  readCurrent: () => Promise<Result<Folder, FolderError>>,
  kernel: () => Kernel | undefined,
): KernelOptions {
  const {
    preset,
    options: { services: others = [], ...options },
  } = started
  const services = [...others, [KeptEdits, new Map()]] as const
  const read = async (): Promise<Result<Folder, FolderError>> => {
    const folder = await readCurrent()
    if (folder.ok && folder.value.preset !== preset) {
      const problem = failure(
        'RESTART_NEEDED',
        `\`preset\` is ${folder.value.preset}, and the server was started as ${preset}`,
      )
      const issue: BundleIssue = {
        severity: 'error',
        file: 'amodal.json',
        code: problem.code,
        message: problem.message,
        fix: 'start the server again',
      }
      return err({ kind: 'config', failure: { ...problem, issues: [issue] } })
    }
    return folder
  }
  const rewire: Rewiring = {
    async check() {
      const folder = await read()
      if (!folder.ok) return wiringIssues(folder.error)
      const plan = resolvePlan(folder.value.entries, {
        ...options,
        given: [...services, [Rewire]].map(([slot]) => slot),
      })
      return plan.ok ? [] : wiringIssues({ kind: 'plan', problems: plan.error })
    },
    async apply() {
      const folder = await read()
      if (!folder.ok)
        return err(
          failure(
            'BAD_CONFIG',
            wiringIssues(folder.error)
              .map(({ message }) => message)
              .join('; '),
          ),
        )
      const done = await kernel()?.reload(folder.value.entries)
      return done === undefined || done.ok
        ? ok(undefined)
        : err(failure('BAD_CONFIG', explain(done.error)))
    },
  }
  return { ...options, services: [...services, [Rewire, rewire]] }
}
