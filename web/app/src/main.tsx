import { render } from "preact";
import { listen } from "./keys";
import { App } from "./shell/app";
// All styles are here: those of a page that is fetched later would not be.
import "./styles/base.css";
import "./styles/list.css";
import "./styles/tree.css";
import "./styles/process.css";
import "./styles/output.css";
import "./styles/timeline.css";
import "./styles/create.css";
import "./styles/approvals.css";

listen();
render(<App />, document.getElementById("app")!);
