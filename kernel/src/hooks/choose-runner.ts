import { plainRunner } from './plain-runner.ts'
import type { HookRunner } from './runner.ts'
import { tapableRunner } from './tapable-runner.ts'

/** The runner asked for, or the one this place allows. */
export function chooseRunner(wanted: HookRunner['name'] | undefined): HookRunner {
  if (wanted !== undefined) return wanted === 'plain' ? plainRunner : tapableRunner
  try {
    new Function('')
    return tapableRunner
  } catch {
    return plainRunner
  }
}
