/**
 * Imports the packages of a peer from the folder they are installed in. The repository does not
 * depend on them, so each peer describes the types of the part it uses.
 */

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { LOADER } from './install.ts'

export type Load = (name: string) => Promise<unknown>

/** Imports by name what is installed in the folder, as a module in that folder would. */
export async function packagesIn(folder: string): Promise<Load> {
  const { load } = (await import(pathToFileURL(join(folder, LOADER)).href)) as { load: Load }
  return load
}
