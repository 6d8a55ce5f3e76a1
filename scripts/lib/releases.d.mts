export declare function publishedFolders(root: string): string[]
export declare function followVersion(root: string): string
export declare function declareRepository(root: string, url: string): void
