import { test } from '@playwright/test'
import { updaterPage } from './kit/updaters'

test.describe.configure({ mode: 'serial' })
updaterPage('phone')
