import { parseArgs } from 'node:util'
import { demoLink } from './support/demo-setup'
import { startDemo } from './support/demo-stack'
import { Ending, main } from './support/ending'
import { parsePort } from './support/ports'

const USAGE = `npm run demo -- [options]    Drydock over two simulated management clusters
  --machines N     about so many machines (60)
  --port N         port of the pages (3000)
  --real           over the real Cluster API managers (needs Go 1.26)
  --dir FOLDER     where the data lies (.drydock-demo); delete it to begin anew`

const say = (line: string): void => console.log(line)
const ending = new Ending()

await main(ending, async () => {
  const { values } = parseArgs({
    options: {
      machines: { type: 'string' },
      port: { type: 'string', default: process.env.PORT ?? '3000' },
      real: { type: 'boolean', default: false },
      dir: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return say(USAGE)
  const { real } = values
  const port = parsePort(values.port)
  const machines = values.machines === undefined ? undefined : Number(values.machines)
  if (machines !== undefined && !(Number.isInteger(machines) && machines >= 0 && machines <= 100_000)) {
    throw new Error('--machines is a whole number from 0 to 100000.')
  }
  const dir = values.dir ?? (real ? '.drydock-demo-real' : '.drydock-demo')
  const ready = async (): Promise<void> => {
    const link = await demoLink()
    say(`\nOpen this address; it signs you in, once:\n\n  http://localhost:${port}${link}\n`)
    say(`Ctrl-C ends everything. The data stays in ${dir}.`)
  }
  await startDemo({ dir, port, machines, real, ending, say, ready })
})
