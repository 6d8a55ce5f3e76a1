/** Store documents in the database, seen through the tenant's own connection. */
export declare const storesDatabase: import("@amodal/sdk").Plugin;
export default storesDatabase;
