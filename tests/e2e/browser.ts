import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
const PLACES = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome']

/** A Chromium that is installed on this machine: the one that `CHROMIUM` names, or one in the path. None is fetched. */
export function installedBrowser({ CHROMIUM, PATH = '' }: Readonly<Record<string, string | undefined>> = process.env): string | undefined {
  const found = PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)))
  return [...(CHROMIUM ? [CHROMIUM] : []), ...found, ...PLACES].find(isRunnable)
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
export const openBrowser = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-component-update', '--disable-sync'] })
