import type Charts from './charts.tsx'

/**
 * Loads the charts. Their library formats numbers in the language of the browser as soon as it is
 * loaded, and fails where the browser names one that is none: a Chromium whose system has the
 * locale `C` says `en-US@posix`. That one gets another name while the library is loaded.
 */
export async function loadCharts(): Promise<{ readonly default: typeof Charts }> {
  if (isLanguage(navigator.language)) return import('./charts.tsx')
  Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true })
  try {
    return await import('./charts.tsx')
  } finally {
    Reflect.deleteProperty(navigator, 'language')
  }
}

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0
  } catch {
    return false
  }
}
