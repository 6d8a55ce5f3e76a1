/** Does the work for every item, for at most so many at the same time. */
export async function inParallel<T>(
  most: number,
  items: readonly T[],
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const left = items.entries()
  const take = async (): Promise<void> => {
    for (const [index, item] of left) await work(item, index)
  }
  await Promise.all(Array.from({ length: most }, take))
}
