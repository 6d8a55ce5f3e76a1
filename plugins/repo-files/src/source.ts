import { type BundleFailure, type BundleSource, err, type Secrets, tryAsync } from '@amodal/sdk'
import { setImmediate } from 'node:timers/promises'
import type { Edits } from './edits.ts'
import { FOLDERS } from './folder.ts'
import { OTHER_FOLDERS, PARTS_FOLDER } from './second-layout.ts'
import {
  brokenOff,
  loadBundle,
  loadEnvironment,
  type LoadFailure,
  type LoadOptions,
  parseTexts,
  readTexts,
  ROOT_FILES,
} from './load.ts'

/** Changes with the packages of an agent, whose files stand outside of the watched folders. */
const PACKAGE_LOCK = 'amodal.lock'

/** The folder as a source that keeps broken edits apart from the others. */
export function folderSource(
  dir: string,
  options: Omit<LoadOptions, 'signal'> & { readonly secrets: Secrets },
  edits: Edits,
): BundleSource {
  return {
    where: dir,
    places: [
      ...new Set([
        ...ROOT_FILES,
        PACKAGE_LOCK,
        ...FOLDERS,
        PARTS_FOLDER,
        ...OTHER_FOLDERS,
        ...(options.folders ?? []),
      ]),
    ],
    async load(signal, examine, isFirst = false) {
      if (!examine) return loadBundle(dir, { ...options, signal })
      const done = await tryAsync(
        async () => {
          const texts = await readTexts(dir, options, signal)
          if (!texts.ok) return texts
          // A write that began while they were read has been told of by now.
          await setImmediate()
          signal.throwIfAborted()
          const taken = await edits.accept(
            texts.value,
            async (candidate, held) => {
              const parsed = parseTexts(candidate, dir, options)
              if (!parsed.ok) return parsed
              const made = await examine(
                held ? { ...parsed.value, held } : parsed.value,
                edits.bundle,
              )
              signal.throwIfAborted()
              return made.ok ? made : err(withIssues(made.error))
            },
            isFirst,
          )
          if (!taken.ok && edits.inUse) loadEnvironment(edits.inUse, options.secrets)
          return taken
        },
        (cause) => brokenOff(dir, signal, cause),
      )
      return done.ok ? done.value : done
    },
  }
}

const withIssues = (problem: BundleFailure): LoadFailure => ({
  ...problem,
  issues: problem.issues ?? [],
})
