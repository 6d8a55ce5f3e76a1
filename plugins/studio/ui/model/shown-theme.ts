import { useEffect, useState } from 'react'

const DARK = '(prefers-color-scheme: dark)'

function now(): 'light' | 'dark' {
  const { theme } = document.documentElement.dataset
  if (theme === 'light' || theme === 'dark') return theme
  return matchMedia(DARK).matches ? 'dark' : 'light'
}

/** The theme that is on the screen: the chosen one, or that of the system. */
export function useShownTheme(): 'light' | 'dark' {
  const [theme, setTheme] = useState(now)
  useEffect(() => {
    const look = (): void => setTheme(now())
    const observer = new MutationObserver(look)
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    const system = matchMedia(DARK)
    system.addEventListener('change', look)
    look()
    return () => {
      observer.disconnect()
      system.removeEventListener('change', look)
    }
  }, [])
  return theme
}
