import { parentPort, workerData } from 'node:worker_threads'
import { readDocument } from './read-document.ts'

// The entry point of a worker thread: reads one long document, and ends.
parentPort?.postMessage(readDocument(typeof workerData === 'string' ? workerData : ''))
