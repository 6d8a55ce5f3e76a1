import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { err, type Result } from '@amodal/sdk'
import type { ParsedDocument } from './documents/parsed-document.ts'
import { readDocument } from './documents/read-document.ts'
import type { DocumentFiles } from './documents/references.ts'
import type { ApiChange } from './sync/api-change.ts'

/** Characters from which on a document would keep everybody waiting for longer than a moment. */
const LONG = 1_500_000
const MOST_MS = 120_000
const MOST_MEMORY_MB = 2_048
/** A thread is started by its path. */
const ENTRY = join(
  import.meta.dirname,
  import.meta.filename.endsWith('.ts') ? 'documents/parse-worker.ts' : 'parse-worker.js',
)

/** What a thread is started for; its answer has the type of the function that is named. */
export type ThreadTask =
  | { readonly kind: 'read'; readonly text: string; readonly files: DocumentFiles }
  | { readonly kind: 'compare'; readonly before: string; readonly after: string }

/** Reads an API document; a long one in a thread of its own, with bounds of time and memory. */
export function parseDocument(
  text: string,
  files: DocumentFiles = {},
): Promise<Result<ParsedDocument, string>> {
  const length = Object.values(files).reduce((sum, file) => sum + file.length, text.length)
  return length < LONG
    ? Promise.resolve(readDocument(text, files))
    : inThread({ kind: 'read', text, files }, text)
}

/** Compares two versions of an API document, long ones in a thread. */
export async function compareVersions(
  before: string,
  after: string,
): Promise<Result<readonly ApiChange[], string>> {
  if (before.length + after.length >= LONG)
    return inThread({ kind: 'compare', before, after }, after)
  const { compareDocuments } = await import('./sync/compare-documents.ts')
  return compareDocuments(before, after)
}

/** @param text that an error is about */
function inThread<T>(task: ThreadTask, text: string): Promise<Result<T, string>> {
  return new Promise((resolve) => {
    const worker = new Worker(ENTRY, {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    const end = (result: Result<T, string>): void => {
      clearTimeout(timer)
      resolve(result)
      void worker.terminate()
    }
    const timer = setTimeout(
      () =>
        end(
          err(
            `it has ${millions(text.length)} and was not read within ${MOST_MS / 1_000} s${/^\s*\{/.test(text) ? '' : ': as JSON it is read many times faster'}`,
          ),
        ),
      MOST_MS,
    )
    worker.once('message', (result: Result<T, string>) => end(result))
    worker.once('error', (cause: Error) =>
      end(err(`it has ${millions(text.length)} and could not be read: ${cause.message}`)),
    )
    worker.once('exit', () => end(err('the thread that reads it has ended')))
  })
}

/** Such as `47.1 million characters`. */
const millions = (length: number): string => `${(length / 1_000_000).toFixed(1)} million characters`
