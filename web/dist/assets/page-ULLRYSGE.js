import{g as e}from"./chunk-RLH3V6A7.js";function r(){return e("h1",{children:"Tree"})}export{r as TreePage};
