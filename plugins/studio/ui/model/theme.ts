import { useEffect, useState } from 'react'
import { tabStorage, type Theme } from './tab-storage.ts'

/** Light, dark, or as the system has it. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(tabStorage.theme)
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = theme
    tabStorage.storeTheme(theme)
  }, [theme])
  return [theme, setTheme]
}
