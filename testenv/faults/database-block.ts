import pg from 'pg'
import { until } from '../process'

const LOCK = 918_273_645

/**
 * Stops whoever is about to write a decision's state, exactly there: a trigger waits for a lock that this holds. What is
 * killed meanwhile has written everything before and nothing after.
 */
export async function blockDecisions(url: string, state: 'applying' | 'accepted') {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`SELECT pg_advisory_lock(${LOCK})`)
  await client.query(`
    CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_xact_lock_shared(${LOCK}); RETURN NEW; END $$`)
  await client.query(`
    CREATE TRIGGER wait_for_test BEFORE UPDATE ON decision FOR EACH ROW
    WHEN (NEW.state = '${state}') EXECUTE FUNCTION wait_for_test()`)
  const waiting = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`
  return {
    reached: () =>
      until(`a decision about to be ${state}`, async () => (await client.query(waiting)).rowCount, {
        ms: 90_000,
        every: 50,
      }),
    /** Ends what the dead left behind in the database, unfinished, and lets everybody write again. */
    clear: async () => {
      await client.query(`SELECT pg_terminate_backend(pid) FROM (${waiting}) AS left_behind`)
      await until('the dead to be gone', async () => (await client.query(waiting)).rowCount === 0, { ms: 20_000 })
      await client.query('DROP TRIGGER wait_for_test ON decision')
      await client.query('DROP FUNCTION wait_for_test')
      await client.end()
    },
  }
}
