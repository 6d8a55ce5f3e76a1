import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fileFailure, keyFile } from '@amodal/sdk/files'

/** A folder of the system that nobody may write to, the superuser included. */
const READ_ONLY = process.platform === 'darwin' ? '/System' : '/sys'

function failureAt(file: string, work: () => unknown) {
  try {
    work()
  } catch (cause) {
    return fileFailure('the key', file, cause)
  }
  throw new Error(`${file} can be used`)
}

test('a folder that may not be written is named', () => {
  const file = join(READ_ONLY, 'amodal/key')
  expect(failureAt(file, () => keyFile(file, () => 'text'))).toMatchObject({
    code: 'NOT_WRITABLE',
    message: expect.stringMatching(/^the key cannot be created: E(PERM|ACCES|ROFS): .*mkdir/),
    details: { file },
  })
})

test('a file that is there and cannot be read is unreadable', () => {
  const folder = mkdtempSync(join(tmpdir(), 'amodal-file-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  expect(failureAt(folder, () => readFileSync(folder))).toMatchObject({
    code: 'UNREADABLE',
    message: expect.stringContaining('the key cannot be used: EISDIR'),
  })
})
