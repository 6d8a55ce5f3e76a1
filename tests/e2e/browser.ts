import { accessSync, constants } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type Browser } from 'playwright-core'
import { withLock } from '../../scripts/lib/lock.mjs'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
/** Where the package keeps what it unpacks. */
const PACKED = fileURLToPath(new URL('../bin', import.meta.resolve('@sparticuz/chromium')))
const PLACES = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome']

/** A browser, and the folder of libraries that it brings. */
export interface Found {
  readonly executablePath: string
  readonly libraries?: string
}

/**
 * The Chromium that `CHROMIUM` names; on Linux (x64) the one among the dependencies, which needs
 * nothing of the machine; elsewhere one in the path.
 */
export async function findBrowser(
  { CHROMIUM, PATH = '' }: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Found | undefined> {
  if (CHROMIUM) return { executablePath: CHROMIUM }
  if (process.platform === 'linux' && process.arch === 'x64') {
    const { default: packed, inflate } = await import('@sparticuz/chromium')
    // A program that is still being written cannot be run.
    return withLock(join(tmpdir(), 'amodal-chromium.lock'), async () => ({
      executablePath: await packed.executablePath(),
      libraries: join(await inflate(join(PACKED, 'al2023.tar.br')), 'lib'),
    }))
  }
  const executablePath = [
    ...PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name))),
    ...PLACES,
  ].find(isRunnable)
  return executablePath === undefined ? undefined : { executablePath }
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Without a window, and without a word to anybody but the pages that it is told to open. */
export const openBrowser = ({ executablePath, libraries }: Found): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
    env: { ...process.env, ...(libraries === undefined ? {} : { LD_LIBRARY_PATH: libraries }) },
  })
