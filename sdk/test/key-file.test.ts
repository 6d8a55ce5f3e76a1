import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyFile } from '@amodal/sdk/files'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'amodal-key-file-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

describe('a file that holds a key', () => {
  it('is made once, for its owner alone, in a folder kept out of git', () => {
    const file = join(folder, 'deep', 'key')
    expect(keyFile(file, () => 'first')).toBe('first')
    expect(keyFile(file, () => 'second')).toBe('first')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(folder, 'deep')).sort()).toEqual(['.gitignore', 'key'])
  })

  it('is the one of the process that was quicker', () => {
    const file = join(folder, 'key')
    expect(
      keyFile(file, () => {
        writeFileSync(file, 'theirs')
        return 'ours'
      }),
    ).toBe('theirs')
    expect(readdirSync(folder).sort()).toEqual(['.gitignore', 'key'])
  })

  it('says what the file system says', () => {
    expect(() => keyFile(folder, () => 'key')).toThrow('EISDIR')
  })
})
