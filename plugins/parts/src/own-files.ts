import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BundleFile } from '@amodal/sdk'
import { PART_FOLDERS } from './part-names.ts'

const ACCESS = /^connections\/[^/]+\/access\.json$/
const MOST_FILES = 20_000

/**
 * The files of the agent folder that are parts, with the text of access rules alone: enough to see
 * what counts in place of a package.
 */
export async function ownFiles(root: string): Promise<readonly BundleFile[]> {
  const files: BundleFile[] = []
  const walk = async (folder: string): Promise<void> => {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      if (entry.name.startsWith('.') || files.length >= MOST_FILES) continue
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) await walk(path)
      else {
        const text = ACCESS.test(path) ? await readFile(join(root, path), 'utf8') : ''
        files.push({ path, text })
      }
    }
  }
  for (const folder of PART_FOLDERS) await walk(folder)
  return files
}
