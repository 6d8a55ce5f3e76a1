import { parentPort, workerData } from 'node:worker_threads'
import { reasonOf, runVirtually, type VirtualEnd, type VirtualTask } from './virtual-run.ts'

// The entry point of a worker thread: runs one command, and ends.
const end = await runVirtually(workerData as VirtualTask).catch((cause: unknown): VirtualEnd => ({
  kind: 'failed',
  message: reasonOf(cause),
}))
parentPort?.postMessage(end)
