import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { EMPTY_FOLDERS, type StarterFile } from './starter-files.ts'

export interface Written {
  readonly made: readonly string[]
  readonly kept: readonly string[]
}

/** Writes the files that are not there, one after the other. Throws what the system says. */
export async function writeFolder(dir: string, files: readonly StarterFile[]): Promise<Written> {
  const made: string[] = []
  const kept: string[] = []
  for (const folder of EMPTY_FOLDERS)
    if ((await mkdir(join(dir, folder), { recursive: true })) !== undefined) made.push(`${folder}/`)
  for (const { path, text } of files)
    ((await isWritten(join(dir, path), text)) ? made : kept).push(path)
  return { made, kept }
}

async function isWritten(file: string, text: string): Promise<boolean> {
  await mkdir(dirname(file), { recursive: true })
  try {
    await writeFile(file, text, { flag: 'wx' }) // also where somebody has made it just now
    return true
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') return false
    throw cause
  }
}
