import { parentPort, workerData } from 'node:worker_threads'
import { readDocument } from './read-document.ts'
import type { DocumentFiles } from './references.ts'

// The entry point of a worker thread: reads one long document, and ends.
const { text, files } = workerData as { readonly text: string; readonly files: DocumentFiles }
parentPort?.postMessage(readDocument(text, files))
