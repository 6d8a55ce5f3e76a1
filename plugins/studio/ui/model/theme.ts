import { useEffect, useState } from 'react'
import { kept, type Theme } from './kept.ts'

/** Light, dark, or as the system has it. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(kept.theme)
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = theme
    kept.keepTheme(theme)
  }, [theme])
  return [theme, setTheme]
}
