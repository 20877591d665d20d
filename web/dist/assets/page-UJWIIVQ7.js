import{g as o}from"./chunk-RLH3V6A7.js";function h(){return o("h1",{children:"Tools"})}export{h as ToolsPage};
