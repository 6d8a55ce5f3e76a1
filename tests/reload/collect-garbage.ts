import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Collects for certain, without a flag on the command line. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect !== 'function')
    throw new Error('this engine does not let itself be asked to collect')
  for (let round = 0; round < 5; round++) {
    // Weak references are kept alive until the task in which they were read has ended.
    await new Promise((resolve) => {
      setTimeout(resolve, 5)
    })
    Reflect.apply(collect, undefined, [])
  }
}
