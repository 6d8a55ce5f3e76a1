/** Does the work for every item, for at most so many at the same time. */
export async function inParallel<T>(most: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values()
  const take = async (): Promise<void> => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: most }, take))
}
