/** ms after which no browser still reads the address of a file. */
const READ_MS = 60_000

/** Hands a file to the person, as one that their browser has loaded. */
export function saveFile(file: Blob, name: string): void {
  const href = URL.createObjectURL(file)
  Object.assign(document.createElement('a'), { href, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(href), READ_MS)
}
