import{g as o}from"./chunk-RLH3V6A7.js";function p(){return o("h1",{children:"Approvals"})}export{p as ApprovalsPage};
