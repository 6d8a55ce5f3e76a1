import { never, type BundleIssue } from '@amodal/sdk'
import type { FolderError } from './folder.ts'

/**
 * What is wrong with the wiring of a folder, for whoever lists problems. A file that cannot be read
 * has none.
 */
export function wiringIssues(problem: FolderError | undefined): readonly BundleIssue[] {
  switch (problem?.kind) {
    case undefined:
    case 'agent':
      return []
    case 'config':
      return problem.failure.issues ?? []
    case 'plan':
      return problem.problems.map(({ code, message, fix }) => ({
        severity: 'error',
        file: 'amodal.json',
        code,
        message,
        fix,
      }))
    case 'plugin':
      return [
        {
          severity: 'error',
          file: 'amodal.json',
          code: problem.error.code,
          message: problem.error.message,
        },
      ]
    default:
      return never(problem)
  }
}
