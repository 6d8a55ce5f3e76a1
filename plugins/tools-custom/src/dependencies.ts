import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { type BundleFile, isObject } from '@amodal/sdk'
import { type Issues, readJsonObject } from '@amodal/sdk/files'
import type { Candidate } from './candidates.ts'
import type { Language } from './custom-tool.ts'

/** Packages that handlers get from us. */
export const PROVIDED: readonly string[] = ['@amodalai/core', '@amodalai/types', '@amodal/sdk']

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/**
 * Whether the packages a tool names are installed. Nothing is installed here: that is for a person
 * to do.
 */
export async function dependenciesAreThere(
  root: string,
  { folder, files }: Candidate,
  language: Language,
  issues: Issues,
): Promise<boolean> {
  if (folder === undefined) return true
  const at = (name: string): BundleFile | undefined =>
    files.find(({ path }) => path === `${folder}/${name}`)
  const manifest = language === 'typescript' ? at('package.json') : undefined
  if (manifest) {
    const json = readJsonObject(manifest, issues)
    if (!json) return false
    const { dependencies } = json.value
    const names = isObject(dependencies)
      ? Object.keys(dependencies).filter((name) => !PROVIDED.includes(name))
      : []
    if (names.length === 0 || (await exists(join(root, folder, 'node_modules')))) return true
    issues.error('BAD_REPO', `its packages are not installed: ${names.join(', ')}`, {
      file: manifest.path,
      line: json.lineOf(['dependencies']),
      fix: `run: npm install --prefix ${folder}`,
    })
    return false
  }
  const requirements = language === 'python' ? at('requirements.txt') : undefined
  const wanted = requirements?.text.split('\n').some((line) => /^\s*[^#\s]/.test(line)) ?? false
  if (!requirements || !wanted || (await exists(join(root, folder, '.venv')))) return true
  issues.error('BAD_REPO', 'its packages are not installed', {
    file: requirements.path,
    line: 1,
    fix: `run: python3 -m venv ${folder}/.venv && ${folder}/.venv/bin/pip install -r ${requirements.path}`,
  })
  return false
}
