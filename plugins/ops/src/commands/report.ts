import { fixOf, type Failure } from '@amodal/sdk'

type Fail = (line: string) => void

/** Prints a failure with its next step, and returns the exit code. */
export function failed(fail: Fail, failure: Failure): 1 {
  fail(`${failure.code}: ${failure.message}. ${fixOf(failure)}`)
  return 1
}

export function noDatabase(fail: Fail): 1 {
  fail('NOT_FOUND: this agent keeps everything in memory; it has no database')
  return 1
}
