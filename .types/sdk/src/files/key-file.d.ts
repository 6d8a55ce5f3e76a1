/**
 * The text of a file that holds a key. Where there is none it is made: whole or not at all, readable by its owner alone,
 * in a folder kept out of git. Of several processes that begin at once one makes it, and all of them read that one.
 *
 * @param file its absolute path; folders that are missing are made
 * @param make the text of a new key
 * @returns what the file holds
 * @throws what the file system says where it cannot be read or made
 * @example
 * keyFile(join(folder, 'signing-key.pem'), () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))
 */
export declare function keyFile(file: string, make: () => string): string;
/** Whether a file is a plain one that nobody but its owner can read, and has no second name; `true` also where there is none yet. */
export declare function isPrivate(file: string): boolean;
