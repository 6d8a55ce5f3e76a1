import { parentPort, workerData } from 'node:worker_threads'
import { compareDocuments } from '../sync/compare-documents.ts'
import { readDocument } from './read-document.ts'
import type { ThreadTask } from '../parse-document.ts'

// The entry point of a worker thread: reads or compares long documents, and ends.
const task = workerData as ThreadTask
parentPort?.postMessage(
  task.kind === 'read'
    ? readDocument(task.text, task.files)
    : compareDocuments(task.before, task.after),
)
