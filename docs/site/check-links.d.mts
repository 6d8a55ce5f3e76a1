export function deadLinks(folder: string): readonly string[]
